import { expect, test } from '@jest/globals';
import { fileKind } from './file-kind.js';

test.each([
  ['i18n/fr.json', 'ui'],
  ['src/locales/de/common.yml', 'ui'],
  ['messages_nl.properties', 'ui'],
  ['api/__fixtures__/order.json', 'test'],
  ['drm/logrotate.conf', 'logging'],
  ['src/main/resources/logback.xml', 'logging'],
  ['pkg/logging.go', 'code'],
  ['config/app.json', 'config'],
  ['grafana/dashboards/overview.json', 'dashboard'],
])('%s is %s', (path, kind) => {
  expect(fileKind(path)).toBe(kind);
});
