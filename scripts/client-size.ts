// How large the client is as an application gets it: bundled, minified and gzipped with all that it imports. Its core is what
// is loaded at once; the rest is loaded when it is first needed.

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'

/** Bytes, as product.md allows. */
const limits = { core: 12_000, all: 16_000 }

export async function checkClientSize(root: string): Promise<{ ok: boolean; text: string }> {
  const entry = join(root, 'packages/client/src/index.ts')
  const [core, all] = await Promise.all([measure(entry, [atOnceOnly]), measure(entry, [])])
  const ok = core <= limits.core && all <= limits.all
  return { ok, text: `core ${core} bytes of ${limits.core}, with all on demand ${all} of ${limits.all}` }
}

/** Leaves out what is imported when it is first needed. */
const atOnceOnly: Plugin = {
  name: 'at-once-only',
  setup({ onResolve }) {
    onResolve({ filter: /^/ }, ({ kind }) => (kind === 'dynamic-import' ? { path: 'later', external: true } : null))
  },
}

async function measure(entry: string, plugins: Plugin[]): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    // Optional, and brought by who subscribes.
    external: ['graphql-ws'],
    write: false,
    logLevel: 'silent',
    plugins,
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}
