// The faces of `examples/blog`, with its own code.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import blog from '../../examples/blog/twain.config.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { type Faces, openFaces, type Tamper } from './open-apis.ts'

export async function openBlog(tamper?: Tamper): Promise<Faces> {
  const sdl = await readFile(join(import.meta.dirname, '../../examples/blog/schema.graphql'), 'utf8')
  return openFaces(sdl, {}, tamper, undefined, undefined, { service: blog as unknown as ServiceCode })
}
