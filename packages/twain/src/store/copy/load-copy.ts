// Copying is rare: what it needs is loaded when it is asked for.

import type { Amount, CopyPlace, copyService as copy } from './copy.ts'

export type { Amount, CopyPlace }

export const copyService: typeof copy = async (...places) => (await import('./copy.ts')).copyService(...places)
