// `npm run release -- minor`: a new version. It sets the version of all packages, gives the unreleased part of the changelog this
// version and today's date, builds and packs, and prints what to do next. `--dry-run` leaves the repository as it is, and shows the
// versions, the part of the changelog and the tarballs.
//
// It publishes and tags nothing: that is the last step, and it can't be undone.

import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build/build.ts'
import { packFolder } from './build/pack.ts'
import { nextVersion, releaseChangelog, setVersions } from './build/versions.ts'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const isDryRun = words.includes('--dry-run')
const [step = 'patch'] = words.filter((word) => !word.startsWith('--'))

const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] }
const manifests = globSync(workspaces, { cwd: root })
  .map((folder) => join(root, folder, 'package.json'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
const changelogPath = join(root, 'CHANGELOG.md')
const changelog = readFileSync(changelogPath, 'utf8')

const current = (JSON.parse(readFileSync(join(root, 'packages/twain/package.json'), 'utf8')) as { version: string })
  .version
const version = nextVersion(current, step)
const date = new Date().toISOString().slice(0, 10)
const released = releaseChangelog(changelog, version, date)

try {
  for (const { path, text } of manifests) writeFileSync(path, setVersions(text, version))
  const tarballs = join(root, 'build/release')
  const folders = await build()
  rmSync(tarballs, { recursive: true, force: true })
  mkdirSync(tarballs, { recursive: true })
  const packed = folders.map((folder) => packFolder(folder, tarballs))
  console.log(`${current} → ${version}\n\nCHANGELOG.md\n\n${released.part}\n\nTarballs\n\n${packed.join('\n')}\n`)
} finally {
  if (isDryRun) for (const { path, text } of manifests) writeFileSync(path, text)
}

if (isDryRun) console.log('Nothing was changed (--dry-run).')
else {
  writeFileSync(changelogPath, released.text)
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: root })
  console.log(`Next:
  git commit -am "Version ${version}" && git tag v${version}
  for tarball in build/release/*.tgz; do npm publish "$tarball" --access public; done`)
}
