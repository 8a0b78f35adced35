// Where tests that start commands and servers find the package `twain`: bundled by the runner for its run
// (`scripts/build/build-for-tests.ts`), or else the sources.

import { join } from 'node:path'

/** The `node_modules` of a project that a test makes. */
export const twainModules = process.env.TWAIN_TEST_MODULES ?? join(import.meta.dirname, '../../node_modules')

export const twainCommand = join(twainModules, 'twain/bin/twain.js')
