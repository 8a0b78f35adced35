// `twain print --contract`: what this service is, in the nine parts of the convention for resource APIs with a GraphQL endpoint,
// with everything that the convention leaves to a service said. One file for each part; what is the same for every service
// stands in `docs/` at length, and here in a sentence.

import type { Model } from '#model'
import type { Settings } from '../settings/settings.ts'
import { authenticationPart } from './authentication-part.ts'
import { endpointsPart } from './endpoints-part.ts'
import { errorsPart } from './errors-part.ts'
import { eventsPart } from './events-part.ts'
import { limitsPart } from './limits-part.ts'
import { resourcesPart } from './resources-part.ts'
import { servicePart } from './service-part.ts'
import { statesPart } from './states-part.ts'
import { versioningPart } from './versioning-part.ts'

export type ContractOptions = Pick<Settings, 'limits' | 'http' | 'events' | 'webhooks' | 'auth'>

export async function contractText(model: Model, settings: ContractOptions): Promise<string> {
  const parts: [title: string, text: string][] = [
    ['What the service does', servicePart(model)],
    ['Resources and their fields', resourcesPart(model)],
    ['States and transitions', statesPart(model)],
    ['Endpoints', await endpointsPart(model, settings.limits)],
    ['Authentication', authenticationPart(model, settings.auth)],
    ['Events', eventsPart(model, settings)],
    ['Errors', errorsPart()],
    ['Limits', limitsPart(settings)],
    ['Versioning', versioningPart(model)],
  ]
  const told = parts.map(([title, text], index) => `## ${index + 1}. ${title}\n\n${text.trimEnd()}\n`)
  return `# ${model.service.name}\n\n${told.join('\n')}`
}
