// The size of the client in an application: bundled, minified and gzipped with its imports. The core is loaded at once; the rest is
// loaded when it is first needed.

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Plugin } from 'esbuild'

/** Bytes that the client may have. */
const limits = { core: 12_000, common: 16_000, auth: 4_000 }
const commonParts = /on-demand|subscriptions|batch|upload|offline/

export async function checkClientSize(root: string): Promise<{ ok: boolean; text: string }> {
  const [entry, authEntry] = ['index.ts', 'auth/index.ts'].map((path) => ({
    entryPoints: [join(root, 'packages/client/src', path)],
  })) as [BuildOptions, BuildOptions]
  const [core, common, all, auth] = await Promise.all([
    bundledSize(entry),
    bundledSize(entry, commonParts),
    bundledSize(entry, /./),
    bundledSize(authEntry),
  ])
  const ok = core <= limits.core && common <= limits.common && auth <= limits.auth
  return {
    ok,
    text: `core ${core} bytes of ${limits.core}; with subscriptions, batching, uploads and offline ${common} of ${limits.common}; all ${all}; auth ${auth} of ${limits.auth}`,
  }
}

/** Bytes of a bundle; `counted` selects the lazy imports that count. The bench also measures other clients with it. */
export async function bundledSize(
  entry: Pick<BuildOptions, 'entryPoints' | 'stdin'>,
  counted: RegExp = /^$/,
): Promise<number> {
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    conditions: ['production'],
    write: false,
    logLevel: 'silent',
    plugins: [without(counted)],
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

/** Leaves out lazy imports, unless their path counts. */
const without = (counted: RegExp): Plugin => ({
  name: 'without',
  setup({ onResolve }) {
    onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !counted.test(path) ? { path, external: true } : null,
    )
  },
})
