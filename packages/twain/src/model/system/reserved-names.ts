// The names that a schema file can't use: types and paths of the server itself.

import { declaredSystemTypes } from './system-types.ts'

/** Types that have their own code. */
const specialTypes = ['Change']

/** First segments of paths that are no collection. `token` is here because its list would be generated as `createToken`. */
const specialPaths = [
  'token',
  'sign-in',
  'codes',
  'verifications',
  'mails',
  'changes',
  'batch',
  'graphql',
  'docs',
  'console',
]
const operatorPaths = ['healthz', 'readyz', 'metrics']

export function reservedTypes(): string[] {
  return [...specialTypes, ...declaredSystemTypes().map(({ name }) => name)]
}

export function reservedPaths(): string[] {
  return [...specialPaths, ...declaredSystemTypes().map(({ path }) => path), ...operatorPaths]
}
