# One image for every role: ROLE=api, ROLE=worker or ROLE=all (see README). test/integration/dockerfile.test.ts runs these
# instructions without Docker.
FROM node:24-bookworm-slim AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json package-lock.json ./
# TypeScript is a peer of a compiler plugin in @nestjs/swagger, which runs at build time only.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/typescript

FROM base AS build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY console ./console
COPY scripts ./scripts
RUN npm run build

FROM base AS service
# All addresses of a container are its own; the published ports decide who can reach it.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY scripts/healthcheck.mjs ./scripts/
COPY behaviours ./behaviours
COPY subscribers ./subscribers
COPY rules ./rules
COPY prompts ./prompts
COPY examples/topologies ./examples/topologies
# A new volume for ARCHIVE_DIR gets the owner of this folder.
RUN install -d -o node -g node /archive
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
CMD ["node", "dist/main.js"]
