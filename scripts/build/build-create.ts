// The package `create-twain`: one script, as it is.

import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { beginPackage, root } from './package-folder.ts'

const source = join(root, 'packages/create-twain')

export async function buildCreate(): Promise<string> {
  const folder = await beginPackage(source, () => ({}))
  await cp(join(source, 'bin'), join(folder, 'bin'), { recursive: true })
  return folder
}
