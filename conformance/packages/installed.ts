// A folder outside of the repository with packages installed from their tarballs, as a user would have them.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** The path of the tarball of a package: `twain`, `twain-client`. */
export function tarballOf(name: string): string {
  const folder = process.env.TWAIN_TARBALLS
  if (folder === undefined) throw new Error('These tests are run by: npm run packages')
  const [found] = globSync(`${name}-[0-9]*.tgz`, { cwd: folder })
  if (found === undefined) throw new Error(`${folder} has no tarball of ${name}`)
  return join(folder, found)
}

/** The result of a command. */
export interface Ran {
  code: number
  output: string
}

export class InstalledFolder {
  readonly path: string

  /** Files by their paths. `packages` are tarballs, or names of the registry. */
  static async make(files: Record<string, string>, packages: readonly string[]): Promise<InstalledFolder> {
    const folder = new InstalledFolder(mkdtempSync(join(tmpdir(), 'twain-installed-')))
    try {
      await folder.write({ 'package.json': '{"name": "app", "type": "module", "private": true}', ...files })
      await folder.install(...packages)
      return folder
    } catch (error) {
      folder.remove()
      throw error
    }
  }

  constructor(path: string) {
    this.path = path
  }

  async write(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.path, path)), { recursive: true })
      await writeFile(join(this.path, path), text)
    }
  }

  async install(...packages: readonly string[]): Promise<void> {
    const flags = ['--prefer-offline', '--no-audit', '--no-fund']
    const { code, output } = await this.run('npm', 'install', ...flags, ...packages)
    if (code !== 0) throw new Error(`npm install failed:\n${output}`)
  }

  /** Node is that of the tests; so programs of the folder run by it too. */
  async run(command: string, ...args: readonly string[]): Promise<Ran> {
    try {
      const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: this.path, env: environment() })
      return { code: 0, output: stdout + stderr }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number | string; stdout?: string; stderr?: string }
      return {
        code: typeof code === 'number' ? code : 1,
        output: `${stdout}${stderr}${typeof code === 'string' ? code : ''}`,
      }
    }
  }

  /** `twain …` of this folder. */
  twain(...args: readonly string[]): Promise<Ran> {
    return this.run(process.execPath, 'node_modules/.bin/twain', ...args)
  }

  /** Starts a server of this folder: `twain dev …`. Resolves with its address when it is ready. */
  async serve(...args: readonly string[]): Promise<{ address: string; stop(): Promise<void> }> {
    const child = spawn(
      process.execPath,
      ['node_modules/.bin/twain', ...args, ...(args.includes('--port') ? [] : ['--port', '0'])],
      {
        cwd: this.path,
        env: environment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const exited = once(child, 'exit')
    const stop = async () => {
      child.kill('SIGTERM')
      await exited
    }
    let output = ''
    const address = new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          output += `${line}\n`
          const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
          if (found !== undefined) resolve(found)
        })
      }
      exited.then(() => reject(new Error(`twain ${args.join(' ')} ended:\n${output}`)))
    })
    return { address: await address, stop }
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** Without what `npm run` adds, and with Node 24 first. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && !name.startsWith('TWAIN_'))
  return { ...Object.fromEntries(own), PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
}
