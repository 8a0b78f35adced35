// The size of the console in a browser, gzipped: what the page loads first, and all of its files together.

import { gzipSync } from 'node:zlib'
import { bundleConsole, type ConsoleFile } from './build/build-console.ts'

const limits = { first: 60_000, all: 250_000 }

export async function checkConsoleSize(): Promise<{ ok: boolean; text: string }> {
  const { first, all } = await consoleSizes()
  return {
    ok: first <= limits.first && all <= limits.all,
    text: `first load ${first} bytes of ${limits.first}; all files ${all} of ${limits.all}`,
  }
}

/** Bytes, gzipped. */
export async function consoleSizes(): Promise<{ first: number; all: number }> {
  const files = await bundleConsole()
  return { first: sizeOf(files.filter(({ isFirst }) => isFirst)), all: sizeOf(files) }
}

function sizeOf(files: readonly ConsoleFile[]): number {
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
}
