// The scenarios of docs/reference/rules.md: a fenced `graphql` block is a service, and the `scenario` blocks after it are requests to
// it, one a line: `ann POST /notes {"text": "Hello"} → 201 {"author": "{ann}"} as note`.

export interface Chapter {
  title: string
  sdl: string
  steps: Step[]
}

export interface Step {
  text: string
  who: string
  method: string
  path: string
  /** JSON text, or nothing. */
  body: string
  status: number
  /** JSON text that the answer has at least, with `absent` for a member that it must not have; or nothing. */
  answer: string
  /** The name under which later lines refer to the id of the answer. */
  as: string | null
  /** All people of the scenario, who must have signed up. */
  people: string[]
}

const people = ['nobody', 'ann', 'bob', 'carl', 'staff', 'admin']

export function chaptersOf(doc: string): Chapter[] {
  const chapters: Chapter[] = []
  let title = ''
  for (const [, heading, kind, text] of doc.matchAll(/^## (.*)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (heading !== undefined) title = heading
    if (kind === 'graphql') chapters.push({ title, sdl: text!, steps: [] })
    if (kind === 'scenario') chapters.at(-1)!.steps.push(...text!.trimEnd().split('\n').map(stepOf))
  }
  return chapters
}

const form = /^(\w+) +([A-Z]+) +(\S+)(?: +(\{.*\}))? +→ (\d{3})(?: ([[{].*[\]}]))?(?: as (\w+))?$/

function stepOf(text: string): Step {
  const [, who, method, path, body = '', status, answer = '', as = null] = form.exec(text) ?? []
  if (who === undefined || method === undefined || path === undefined) throw new Error(`not a step: ${text}`)
  if (!people.includes(who)) throw new Error(`nobody knows ${who}: ${text}`)
  const spoken = people.filter((name) => text.includes(`{${name}}`))
  const step = { text, who, method, path, body, status: Number(status), answer, as }
  return { ...step, people: [...new Set([who, ...spoken])] }
}

const absent = '\u0000absent'

/** Whether the answer has all expected members. It may have more members, but no more list items. */
export function fits(value: unknown, promised: string): boolean {
  if (promised === '') return true
  return has(value, JSON.parse(promised.replace(/: absent\b/g, `: ${JSON.stringify(absent)}`)))
}

function has(value: unknown, promised: unknown): boolean {
  if (promised === absent) return value === undefined
  if (Array.isArray(promised)) {
    return (
      Array.isArray(value) &&
      value.length === promised.length &&
      promised.every((item, index) => has(value[index], item))
    )
  }
  if (typeof promised !== 'object' || promised === null) return value === promised
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(promised).every(([name, item]) => has((value as Record<string, unknown>)[name], item))
}
