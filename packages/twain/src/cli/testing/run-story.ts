// Runs a story on a test service. The first step that fails ends it: later steps depend on it.

import { fits, namesIn, type Story, type StoryStep } from './stories.ts'
import type { TestService } from './test-service.ts'
import type { TestReply, TestViewer } from './test-viewer.ts'

export interface StoryFailure {
  step: StoryStep
  /** What came instead, with the rule that decided. */
  why: string
}

/** Null if every step has its answer. */
export async function runStory({ steps }: Story, service: TestService): Promise<StoryFailure | null> {
  const ids = new Map<string, string>()
  for (const step of steps) {
    try {
      const why = await runStep(step, service, ids)
      if (why !== null) return { step, why }
    } catch (error) {
      return { step, why: (error as Error).message }
    }
  }
  return null
}

async function runStep(step: StoryStep, service: TestService, ids: Map<string, string>): Promise<string | null> {
  const viewer = await viewerOf(step.who, service)
  for (const name of namesIn(step)) if (!ids.has(name)) ids.set(name, (await viewerOf(name, service)).id)
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => ids.get(name) ?? whole)
  const body = step.body === '' ? undefined : fill(step.body)
  const reply = await viewer.send(step.method, fill(step.path), body)
  const expected = fill(step.answer)
  if (reply.status !== step.status) return `the status is ${reply.status}, not ${step.status}${explain(reply)}`
  if (!fits(reply.body, expected)) return `the answer is ${JSON.stringify(reply.body)}, without ${expected}`
  const id: unknown = reply.body?.id
  if (step.as !== null && typeof id !== 'string') return `the answer has no id: ${JSON.stringify(reply.body)}`
  if (step.as !== null) ids.set(step.as, id as string)
  return null
}

async function viewerOf(who: string, service: TestService): Promise<TestViewer> {
  if (who === 'anonymous') return service.anonymous
  const [, roles] = /^operator:(.+)$/.exec(who) ?? []
  return roles === undefined ? service.as(who) : service.operator(...roles.split('+'))
}

/** The detail of a problem, and its hint: it names the rule. */
function explain({ body }: TestReply): string {
  const { detail, hint } = (body ?? {}) as { detail?: string; hint?: string }
  return `${detail === undefined ? '' : `: ${detail}`}${hint === undefined ? '' : ` ${hint}`}`
}
