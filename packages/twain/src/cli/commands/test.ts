// `twain test FILE…`: runs the stories of Markdown files, each on a service of its own, and prints what failed with the rule that
// decided.

import { readFile } from 'node:fs/promises'
import { createPaint } from '../report/paint.ts'
import type { Terminal } from '../report/terminal.ts'
import { runStory } from '../testing/run-story.ts'
import { readStories, type Story } from '../testing/stories.ts'
import { startTestService, type TestServiceOptions } from '../testing/test-service.ts'

interface TestCommandLine {
  files: readonly string[]
  options: ReadonlyMap<string, string>
}

/** Returns the exit code: 1 if a story fails, 2 if a file has mistakes. */
export async function test({ files, options }: TestCommandLine, surface: Terminal): Promise<number> {
  const paint = createPaint(surface.colours.err)
  const read = await Promise.all(files.map(async (file) => ({ file, ...readStories(await readFile(file, 'utf8')) })))
  const mistakes = read.flatMap(({ file, mistakes }) => mistakes.map((mistake) => `${file}:${mistake}`))
  for (const { file, stories } of read) if (stories.length === 0) mistakes.push(`${file} has no story block.`)
  for (const mistake of mistakes) surface.err(`${paint.red('error')} ${mistake}\n`)
  if (mistakes.length > 0) return 2
  let failed = 0
  let count = 0
  for (const { file, stories } of read) {
    for (const story of stories) {
      count++
      if (!(await passes(file, story, optionsOf(options), surface))) failed++
    }
  }
  surface.out(`${count} ${count === 1 ? 'story' : 'stories'}: ${count - failed} passed, ${failed} failed.\n`)
  return failed === 0 ? 0 : 1
}

async function passes(file: string, story: Story, options: TestServiceOptions, surface: Terminal): Promise<boolean> {
  await using service = await startTestService({ ...options, log: (message) => surface.err(`${message}\n`) })
  const failure = await runStory(story, service)
  if (failure === null) {
    surface.out(`✓ ${story.title}\n`)
    return true
  }
  surface.out(`✗ ${story.title}\n`)
  surface.err(`${file}:${failure.step.line} ${failure.step.text}\n  ${failure.why}\n`)
  return false
}

function optionsOf(options: ReadonlyMap<string, string>): TestServiceOptions {
  const names = ['schema', 'seed'] as const
  return Object.fromEntries(names.flatMap((name) => (options.has(name) ? [[name, options.get(name)]] : [])))
}
