// The stories of docs/reference/rules.md: a fenced `graphql` block is a service, the `scenario` blocks behind it are what happens
// there, a line for each request: `ann POST /notes {"text": "Hello"} → 201 {"author": "{ann}"} as note`.

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
  /** The name that the id of the answer goes by from here on. */
  as: string | null
  /** Who acts or is spoken of, and must have signed up. */
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

/** Whether the answer has what was promised: members that are not named may be there too, items of a list may not. */
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
