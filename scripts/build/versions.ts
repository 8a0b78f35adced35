// The texts of a release: version numbers, package.json files and the changelog.

const steps = ['major', 'minor', 'patch']

/** `step` is `major`, `minor`, `patch` or a version. */
export function nextVersion(current: string, step: string): string {
  if (/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(step)) return step
  const at = steps.indexOf(step)
  if (at < 0) throw new Error(`"${step}" is no version, and none of ${steps.join(', ')}.`)
  const numbers = current.split('-')[0]!.split('.').map(Number)
  return numbers.map((number, index) => (index < at ? number : index === at ? number + 1 : 0)).join('.')
}

/** Sets the version of a package.json, and of our packages that it depends on. */
export function setVersions(manifest: string, version: string): string {
  return manifest
    .replace(/^( {2}"version": ")[^"]+/m, `$1${version}`)
    .replace(/("(?:twain|@twain\/client)": ")[^"]+/g, `$1${version}`)
}

/** Gives the unreleased part this version. Throws if there is none. */
export function releaseChangelog(changelog: string, version: string, date: string): { text: string; part: string } {
  const [, part] = /^## Unreleased\n+([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog) ?? []
  if (part === undefined || part.trim() === '') throw new Error('CHANGELOG.md has no unreleased part.')
  const text = changelog.replace('## Unreleased\n', () => `## ${version} (${date})\n`)
  return { text, part: `## ${version} (${date})\n\n${part.trim()}` }
}
