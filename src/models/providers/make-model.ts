import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelSettings } from './model-settings.js';
import { providerNamed } from './registry.js';

/**
 * Creates the model that the settings describe.
 * @throws RangeError if there is no such provider, or it needs an address
 */
export function makeModel(
  { provider: name, model, baseUrl, api }: ModelSettings,
  key: string | undefined,
): LanguageModelV3 {
  const provider = providerNamed(name);
  const address = baseUrl ?? provider?.own?.baseUrl;
  if (!provider || address === undefined)
    throw new RangeError(`no provider ${name} with an address`);
  return provider.create({ model, baseUrl: address, api }, key);
}
