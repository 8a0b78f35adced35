// What publint and "are the types wrong" find in a package, and files that do not belong in it.

import { readFile } from 'node:fs/promises'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { type Message, publint } from 'publint'
import { formatMessage } from 'publint/utils'

export async function lintPackage(folder: string, tarball: string): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true })
  const linted = messages.filter(isMistake).map((message) => `${folder}: ${formatMessage(message, pkg)}`)
  const types = createPackageFromTarballData(new Uint8Array(await readFile(tarball)))
  const analysis = await checkPackage(types, { excludeEntrypoints: [/\.graphql$/, /\.json$/] })
  const hasModules = 'exports' in pkg
  const untyped = hasModules ? ['no types'] : []
  const wrong = analysis.types === false ? untyped : analysis.problems.filter(isRelevant).map(({ kind }) => kind)
  const files = types.listFiles().filter((path) => /\.(test|fixture)\./.test(path) && !path.includes('/templates/'))
  return [
    ...linted,
    ...wrong.map((kind) => `${folder}: the types are wrong: ${kind}`),
    ...files.map((path) => `${folder}: ${path} does not belong in a package`),
  ]
}

/** The tests of a template are for the folder that it makes. */
function isMistake(message: Message): boolean {
  return message.code !== 'USE_FILES' || message.args.internalFilePaths.some((path) => !path.includes('/templates/'))
}

/** The packages are ECMAScript modules with `exports`: resolution as of Node 10 does not find them, and CommonJS loads them by
 *  `require` of a module, which every Node that they support has. */
function isRelevant(problem: { kind: string; resolutionKind?: string }): boolean {
  return problem.resolutionKind !== 'node10' && problem.kind !== 'CJSResolvesToESM'
}
