// The files of a schema: the one that a path names, or every `*.graphql` file below a folder.

import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Whether the path is a folder of schema files. */
export function isSchemaFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** A name of a file or folder that belongs to the schema. Editors and Kubernetes keep files of their own under dot names. */
export function isSchemaName(name: string, kind: 'file' | 'folder'): boolean {
  if (name.startsWith('.')) return false
  return kind === 'file' ? name.endsWith('.graphql') : name !== 'node_modules'
}

export interface SchemaTree {
  /** The paths of the files, in the order of their names; each begins with the folder as it was given. */
  files: string[]
  /** The folder and those below it. */
  folders: string[]
}

/** Follows symbolic links, to each file and folder once: a link to a folder above it would never end. */
export function walkSchemaFolder(folder: string): SchemaTree {
  const tree: SchemaTree = { files: [], folders: [] }
  walk(folder, tree, new Set())
  return { files: tree.files.sort(), folders: tree.folders.sort() }
}

function walk(folder: string, tree: SchemaTree, visited: Set<string>): void {
  const realFolder = realpathSync(folder)
  if (visited.has(realFolder)) return
  visited.add(realFolder)
  tree.folders.push(folder)
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    const found = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry
    if (found?.isDirectory() && isSchemaName(entry.name, 'folder')) walk(path, tree, visited)
    if (!found?.isFile() || !isSchemaName(entry.name, 'file')) continue
    const realFile = entry.isSymbolicLink() ? realpathSync(path) : join(realFolder, entry.name)
    if (!visited.has(realFile)) tree.files.push(path)
    visited.add(realFile)
  }
}
