// Finds Chromium on this machine: the path in CHROMIUM, or one of the usual commands. Null when there is none; tests that need it are
// then skipped. The headless shell, which has the same engine without windows, comes first: a page takes half the CPU time.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const commands = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]

export function findChromium(): string | null {
  const { CHROMIUM, PATH = '' } = process.env
  if (CHROMIUM) return CHROMIUM
  const folders = PATH.split(delimiter)
  const places = commands.flatMap((command) => folders.map((folder) => join(folder, command)))
  return places.find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
