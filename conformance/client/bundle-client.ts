// The client as a script of a page, with the global name `twain`.

import { build } from 'esbuild'

/** `contents` exports what the page uses. */
export async function bundleClient(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'iife',
    globalName: 'twain',
    external: ['node:*'],
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}
