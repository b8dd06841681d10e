{{- define "consilium.name" -}}
{{- if contains "consilium" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-consilium" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "consilium.selector" -}}
app.kubernetes.io/name: consilium
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "consilium.labels" -}}
{{ include "consilium.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "consilium.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}{{ end }}
{{- end }}

{{- define "consilium.serviceAccount" -}}
{{ default (include "consilium.name" .) .Values.serviceAccount.name }}
{{- end }}

{{- /* Variables that come from secrets. Takes a map as secretEnv. */ -}}
{{- define "consilium.secretEnv" -}}
{{- range $name, $secret := . }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret.name }}
      key: {{ $secret.key }}
{{- end }}
{{- end }}

{{- /* Matchers of a query of Prometheus. Takes a map of labels. */ -}}
{{- define "consilium.matchers" -}}
{{- $matchers := list }}
{{- range $label, $value := . }}{{ $matchers = append $matchers (printf "%s=%q" $label $value) }}{{ end }}
{{- join "," $matchers }}
{{- end }}

{{- /* The volume of the secrets of a tenant, whose name may be no name of a volume. */ -}}
{{- define "consilium.tenantVolume" -}}
tenant-{{ sha256sum . | trunc 16 }}
{{- end }}

{{- /* The specification of a pod. Takes root, role and settings. */ -}}
{{- define "consilium.pod" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- with $values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
serviceAccountName: {{ include "consilium.serviceAccount" $root }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ add $values.shutdownGraceSeconds 20 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
containers:
  - name: {{ .role }}
    image: {{ include "consilium.image" $root | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    ports:
      - { name: http, containerPort: 3000 }
    env:
      - { name: ROLE, value: {{ .role }} }
      {{- $redis := ternary $values.redis.workerSecret $values.redis.secret (and (eq .role "worker") (ne $values.redis.workerSecret.name "")) }}
      - name: REDIS_URL
        valueFrom:
          secretKeyRef:
            name: {{ required "redis.secret.name is required: the Secret with the URL of the Redis" $redis.name }}
            key: {{ $redis.key }}
      - { name: SHUTDOWN_GRACE_SECONDS, value: {{ $values.shutdownGraceSeconds | quote }} }
      {{- range $name, $value := $values.env }}
      - { name: {{ $name }}, value: {{ $value | quote }} }
      {{- end }}
      {{- if not (hasKey $values.env "AUTH") }}
      - { name: AUTH, value: keys }
      {{- end }}
      {{- include "consilium.secretEnv" $values.secretEnv | nindent 6 }}
      {{- if eq .role "api" }}
      - name: ALLOWED_HOSTS
        value: {{ concat (list (include "consilium.name" $root) (printf "%s.%s" (include "consilium.name" $root) $root.Release.Namespace) (printf "%s.%s.svc" (include "consilium.name" $root) $root.Release.Namespace)) $values.allowedHosts (ternary $values.ingress.hosts list $values.ingress.enabled) | join "," | quote }}
      {{- else }}
      {{- include "consilium.secretEnv" .settings.secretEnv | nindent 6 }}
      {{- end }}
      {{- if $values.bootstrapKey.name }}
      - { name: AUTH_BOOTSTRAP_KEY_FILE, value: {{ printf "/run/secrets/bootstrap/%s" $values.bootstrapKey.key }} }
      {{- end }}
      {{- if $values.tenantSecrets }}
      - { name: SECRETS_DIR, value: /run/secrets/tenants }
      {{- end }}
      {{- if $values.archiveClaim }}
      - { name: ARCHIVE_DIR, value: /archive }
      {{- end }}
    startupProbe:
      httpGet: { path: /health/live, port: http }
      periodSeconds: 2
      failureThreshold: 60
    readinessProbe:
      httpGet: { path: /health/ready, port: http }
      periodSeconds: 5
      timeoutSeconds: 5
    livenessProbe:
      httpGet: { path: /health/live, port: http }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    {{- if eq .role "api" }}
    lifecycle:
      # Until no load balancer sends requests to this pod any more.
      preStop: { exec: { command: [sleep, '5'] } }
    {{- end }}
    resources:
      {{- toYaml .settings.resources | nindent 6 }}
    volumeMounts:
      - { name: tmp, mountPath: /tmp }
      {{- if $values.configMap }}
      - { name: config, mountPath: /etc/consilium, readOnly: true }
      {{- end }}
      {{- if $values.secretFiles }}
      - { name: secrets, mountPath: /run/secrets/consilium, readOnly: true }
      {{- end }}
      {{- if $values.bootstrapKey.name }}
      - { name: bootstrap, mountPath: /run/secrets/bootstrap, readOnly: true }
      {{- end }}
      {{- if $values.archiveClaim }}
      - { name: archive, mountPath: /archive }
      {{- end }}
      {{- if eq .role "worker" }}
      {{- range $tenant, $secret := $values.tenantSecrets }}
      - { name: {{ include "consilium.tenantVolume" $tenant }}, mountPath: {{ printf "/run/secrets/tenants/%s" $tenant | quote }}, readOnly: true }
      {{- end }}
      {{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
  {{- with $values.configMap }}
  - name: config
    configMap: { name: {{ . }} }
  {{- end }}
  {{- with $values.secretFiles }}
  - name: secrets
    secret: { secretName: {{ . }}, defaultMode: 288 }
  {{- end }}
  {{- with $values.bootstrapKey }}
  {{- if .name }}
  - name: bootstrap
    secret: { secretName: {{ .name }}, defaultMode: 288 }
  {{- end }}
  {{- end }}
  {{- with $values.archiveClaim }}
  - name: archive
    persistentVolumeClaim: { claimName: {{ . }} }
  {{- end }}
  {{- if eq .role "worker" }}
  {{- range $tenant, $secret := $values.tenantSecrets }}
  - name: {{ include "consilium.tenantVolume" $tenant }}
    secret: { secretName: {{ $secret }}, defaultMode: 288 }
  {{- end }}
  {{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "consilium.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
{{- with .settings.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The Deployment and its PodDisruptionBudget. Takes root, role and settings. */ -}}
{{- define "consilium.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "consilium.name" .root }}-{{ .role }}
  labels:
    {{- include "consilium.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not .settings.autoscaling.enabled }}
  replicas: {{ .settings.replicas }}
  {{- end }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "consilium.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      labels:
        {{- include "consilium.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
      {{- with .root.Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "consilium.pod" . | nindent 6 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "consilium.name" .root }}-{{ .role }}
  labels:
    {{- include "consilium.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- toYaml .settings.disruptionBudget | nindent 2 }}
  selector:
    matchLabels:
      {{- include "consilium.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- /* Rules of a NetworkPolicy: names, and the Redis. */ -}}
{{- define "consilium.egressToStore" }}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
- ports:
    {{- range .Values.redis.ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with .Values.redis.peers }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- /* Every address but link-local ones: metadata services of clouds hand out credentials. */ -}}
{{- define "consilium.egressAnywhere" }}
- to:
    - ipBlock: { cidr: 0.0.0.0/0, except: [169.254.0.0/16] }
    - ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::254/128'] }
{{- end }}
