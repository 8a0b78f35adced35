// The APIs of `examples/blog`, with its custom code.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import blog from '../../examples/blog/twain.config.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { openApis, type Tamper, type TestApis } from './open-apis.ts'

export async function openBlog(tamper?: Tamper): Promise<TestApis> {
  const sdl = await readFile(join(import.meta.dirname, '../../examples/blog/schema.graphql'), 'utf8')
  return openApis(sdl, {}, tamper, undefined, undefined, { service: blog as unknown as ServiceCode })
}
