// Finds Chromium on this machine: the path in CHROMIUM, or one of the usual commands. Null when there is none; tests that need it are
// then skipped.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

export function findChromium(): string | null {
  const { CHROMIUM, PATH = '' } = process.env
  if (CHROMIUM) return CHROMIUM
  const places = PATH.split(delimiter).flatMap((folder) => commands.map((command) => join(folder, command)))
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
