// What the server checks of inputs of its own types, beyond what the built-in SDL says.

import type { Model, Resource } from '#model'
import type { OpenapiObject } from '../json-parts.ts'

/** The members of an input, with these checks. */
export function withSystemChecks(of: Resource, members: OpenapiObject, model: Model): OpenapiObject {
  if (of.system === undefined) return members
  const checks: Record<string, OpenapiObject> = of.name === 'Webhook' ? webhookChecks(model) : stateChecks(of)
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, { ...(schema as OpenapiObject), ...checks[name] }]),
  )
}

/** The state is the only field that a client may change, so a change names one. */
export function requiredOfChange(of: Resource): { required?: string[] } {
  return of.system === undefined || of.name === 'Webhook' ? {} : { required: Object.keys(stateChecks(of)) }
}

function webhookChecks({ resources }: Model): Record<string, OpenapiObject> {
  const kinds = ['created', 'updated', 'deleted', '*']
  const events = ['*', ...resources.flatMap(({ single }) => kinds.map((kind) => `${single}.${kind}`))]
  return {
    url: { format: 'uri', pattern: undefined },
    events: { items: { type: 'string', enum: events } },
    where: { type: ['object', 'null'] },
  }
}

/** Only a state that follows on another can be written. */
function stateChecks(of: Resource): Record<string, OpenapiObject> {
  const machines = [...of.fields.values()].flatMap((field) =>
    field.kind === 'stored' && field.stateMachine !== undefined ? [[field.name, field.stateMachine] as const] : [],
  )
  return Object.fromEntries(
    machines.map(([name, { transitions }]) => [name, { enum: [...new Set(transitions.flatMap(({ to }) => to))] }]),
  )
}
