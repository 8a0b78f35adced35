import type { Settings } from '../settings/settings.ts'

/** The settings that the API contract shows. */
export type ContractOptions = Pick<Settings, 'limits' | 'http' | 'events' | 'webhooks' | 'auth'>
