// docs/reference/rules.md, executed: each schema of the page is served, and each line of its stories is a request with its answer.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { run } from '../../packages/twain/src/cli/cli.ts'
import { startTestService } from '../../packages/twain/src/cli/testing/index.ts'
import { runStory } from '../../packages/twain/src/cli/testing/run-story.ts'
import { readStories, type Story } from '../../packages/twain/src/cli/testing/stories.ts'
import { makeTestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'

const doc = readFileSync(new URL('../../docs/reference/rules.md', import.meta.url), 'utf8')
const chapters = chaptersOf(doc)

describe('docs/reference/rules.md', () => {
  for (const chapter of chapters) test(chapter.title, () => runChapter(chapter))

  test('has a story for each schema', () => {
    assert.deepEqual(
      chapters.map(({ title }) => title),
      [
        'Everyone reads, owners write',
        'A todo list, shared with others',
        'Teams with roles of their own',
        'A shop',
        'Rules for some fields',
      ],
    )
    assert.ok(chapters.every(({ story }) => story.steps.length > 10))
  })

  test('shows what twain check --access prints', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twain-rules-'))
    const file = join(folder, 'notes.graphql')
    writeFileSync(file, chapters[0]!.sdl)
    const printed = await command('check', '--access', file)
    rmSync(folder, { recursive: true })
    const shown = /```text\n([\s\S]*?)```/.exec(doc)?.[1]
    assert.equal(printed.replaceAll(`${folder}/`, ''), shown)
  })
})

async function runChapter({ sdl, story }: Chapter): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'twain-rules-'))
  const schema = join(folder, 'schema.graphql')
  writeFileSync(schema, sdl)
  const { place, drop } = await makeTestPlace(folder)
  const database = place.database === null ? {} : { database: place.database }
  const service = await startTestService({ schema, ...database, log: () => undefined })
  try {
    const failure = await runStory(story, service)
    assert.equal(failure && `${failure.step.text}\n${failure.why}`, null)
  } finally {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  }
}

interface Chapter {
  title: string
  sdl: string
  story: Story
}

/** The sections with stories, and the schema of each. */
function chaptersOf(page: string): Chapter[] {
  const { stories, mistakes } = readStories(page)
  assert.deepEqual(mistakes, [])
  const sections = page.split(/^## /m)
  return stories.map((story) => {
    const section = sections.find((text) => text.startsWith(`${story.title}\n`))!
    return { title: story.title, sdl: /```graphql\n([\s\S]*?)```/.exec(section)![1]!, story }
  })
}

/** What the command prints. */
async function command(...argv: string[]): Promise<string> {
  let out = ''
  let err = ''
  const code = await run(argv, {
    env: {},
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  })
  assert.equal(code, 0, err)
  return out
}
