// `twain import`, killed inside a portion: the next run goes on, loses no row and creates none twice. The rows have no ids and no
// unique values, so that nothing but the stored place in the file prevents that.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { Project } from '../harness/migrating-project.ts'
import { runKilled } from '../harness/run-killed.ts'

const rows = 300

/** The hook kills its own process at a row, when earlier rows of the same portion are written. */
const config = `export default {
  before: {
    Post({ next }) {
      if (next?.title === process.env.KILL_AT) process.kill(process.pid, 'SIGKILL')
    },
  },
}`

test('an import that is killed at some rows creates each row once', async (t) => {
  const project = await Project.make(t, 'type Post { id: ID! title: String! }')
  await project.write('twain.config.ts', config)
  const titles = Array.from({ length: rows }, (_, n) => `Post ${n}`)
  await project.write('posts.csv', `title\n${titles.join('\n')}\n`)
  // Portions have 50 rows at first: these are in the first one, in a later one, and at the end.
  for (const title of ['Post 30', 'Post 120', `Post ${rows - 1}`])
    assert.equal(await importPosts(project, title), 'SIGKILL')
  assert.equal(await importPosts(project, ''), 0)
  assert.equal(await importPosts(project, ''), 0, 'nothing is left')
  const service = await project.start()
  const found: string[] = []
  for (let offset = 0; offset < rows + 100; offset += 100) {
    const reply = await service.handleAsSystem(plainRequest('GET', `/posts?fields=title&limit=100&offset=${offset}`))
    found.push(...JSON.parse(await bodyText(reply)).map((row: { title: string }) => row.title))
  }
  assert.deepEqual(found.sort(), titles.sort())
})

function importPosts(project: Project, killAt: string): Promise<number | string> {
  const { schemaFile } = project.options()
  const file = join(dirname(schemaFile), 'posts.csv')
  return runKilled(project, ['import', file, '--type', 'Post', '--schema', schemaFile], killAt)
}
