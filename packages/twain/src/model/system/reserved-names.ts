// The names that a schema file can't use: types and paths of the server itself.

import { systemTypes } from './system-types.ts'

/** Types that have their own code. */
const specialTypes = ['File', 'Token', 'Webhook', 'Change']

/** First segments of paths that are no collection. `token` is here because its list would be generated as `createToken`. */
const specialPaths = ['files', 'token', 'tokens', 'webhooks', 'changes', 'batch', 'graphql', 'docs', 'console']
const operatorPaths = ['healthz', 'readyz', 'metrics']

export function reservedTypes(): string[] {
  return [...specialTypes, ...systemTypes().resources.map(({ name }) => name)]
}

export function reservedPaths(): string[] {
  return [...specialPaths, ...systemTypes().resources.map(({ path }) => path), ...operatorPaths]
}
