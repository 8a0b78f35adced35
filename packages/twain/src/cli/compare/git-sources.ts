// Reads the schema file or folder of a git revision: `main` for the same path, `main:schema.graphql` for another one.

import { execFile } from 'node:child_process'
import { basename, dirname, resolve } from 'node:path'
import { isSchemaFolder, isSchemaName } from '#main'
import type { SchemaSource } from '#model'
import { NotComparable } from './running-schema.ts'

export interface GitSources {
  sources: SchemaSource[]
  isFolder: boolean
}

/** Throws NotComparable. */
export async function gitSources(revision: string, path: string): Promise<GitSources> {
  const isFolder = isSchemaFolder(path)
  const failure = `git has no ${basename(resolve(path))} at "${revision}"`
  // Git resolves `./` from its working directory.
  const cwd = isFolder ? resolve(path) : dirname(resolve(path))
  const git = (args: string[], input = '') => runGit(args, { cwd, input, failure })
  const object = revision.includes(':') ? revision : `${revision}:./${isFolder ? '' : basename(path)}`
  // A revision is no flag, whatever it is called.
  const kind = (await git(['cat-file', '-t', '--end-of-options', object])).toString().trim()
  if (kind !== 'tree') {
    const [text = ''] = readBatch(await git(['cat-file', '--batch'], `${object}\n`))
    return { sources: [{ file: path, text }], isFolder: false }
  }
  const listed = await git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', '--end-of-options', object])
  const files = listed.toString().split('\0').filter(isSchemaPath).sort()
  if (files.length === 0)
    throw new NotComparable(`${failure}: no file of the folder has a name that ends with .graphql`)
  const names = files.map((file) => `${object.replace(/(?<![:/])$/, '/')}${file}\n`)
  const texts = readBatch(await git(['cat-file', '--batch'], names.join('')))
  return { sources: files.map((file, index) => ({ file, text: texts[index] ?? '' })), isFolder: true }
}

function isSchemaPath(path: string): boolean {
  const names = path.split('/')
  return names.every((name, index) => isSchemaName(name, index < names.length - 1 ? 'folder' : 'file'))
}

/** The output of `git cat-file --batch`: for each object a line `HASH blob BYTES`, its bytes, and a line feed. */
function readBatch(output: Buffer): string[] {
  const texts: string[] = []
  let at = 0
  while (at < output.length) {
    const end = output.indexOf('\n', at)
    const bytes = Number(output.toString('utf8', at, end).split(' ').at(-1))
    texts.push(output.toString('utf8', end + 1, end + 1 + bytes))
    at = end + 1 + bytes + 1
  }
  return texts
}

interface GitCall {
  cwd: string
  input: string
  /** The beginning of the message if git fails. */
  failure: string
}

function runGit(args: readonly string[], { cwd, input, failure }: GitCall): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { cwd, maxBuffer: 64 * 1024 * 1024, encoding: 'buffer' } as const
    const child = execFile('git', args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      const [reason = error.message] = stderr
        .toString()
        .split('\n')
        .filter((line) => line !== '')
      reject(new NotComparable(`${failure}: ${reason.trim()}`))
    })
    child.stdin?.on('error', () => {}) // git ended before it read all of it; the callback has the reason
    child.stdin?.end(input)
  })
}
