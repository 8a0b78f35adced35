// Where tests that start commands and servers find the package `twain`: bundled by the runner for its run
// (`scripts/build/build-for-tests.ts`), or else the sources.

import { join } from 'node:path'

const sources = join(import.meta.dirname, '../../node_modules')

/** The `node_modules` of a project that a test makes. */
export const twainModules = process.env.TWAIN_TEST_MODULES ?? sources

export const twainCommand = join(twainModules, 'twain/bin/twain.js')

/** The command from the sources: a bundle has modules of its own, which a mutant can't change. */
export const mutableTwainCommand = join(sources, 'twain/bin/twain.js')
