export const DAY_SECONDS = 24 * 60 * 60;
