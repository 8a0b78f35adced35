// The templates of `twain init`: each is a folder of `templates/`, on top of the files that all of them share.

import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const templateNames = ['minimal', 'react'] as const

export type TemplateName = (typeof templateNames)[number]

/** What a template calls by `%name%`. */
export interface TemplateValues {
  /** A name for npm. */
  name: string
  title: string
  version: string
  basePath: string
}

const folder = fileURLToPath(new URL('../../../templates/', import.meta.url))

const basePaths: Record<TemplateName, string> = { minimal: '', react: '/api' }

/** The texts of the files, by their paths in the new folder. */
export async function readTemplate(
  template: TemplateName,
  values: Omit<TemplateValues, 'basePath'>,
): Promise<ReadonlyMap<string, string>> {
  const all = { ...values, basePath: basePaths[template] }
  const files = new Map<string, string>()
  for (const part of ['common', template]) {
    const root = join(folder, part)
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      files.set(publishedName(relative(root, path)), fill(await readFile(path, 'utf8'), all))
    }
  }
  return files
}

/** npm does not publish all files whose names begin with a dot, so that they begin with an underscore in the templates. */
function publishedName(path: string): string {
  return path.replace(/^_/, '.')
}

function fill(text: string, values: TemplateValues): string {
  return text.replace(/%(name|title|version|basePath)%/g, (_, name: keyof TemplateValues) => values[name])
}
