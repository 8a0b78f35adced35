// The API contract of `twain print --contract`, in nine parts. One file for each part. It describes in one sentence what is the
// same for every service; `docs/` has the details.

import type { Model } from '#model'
import { authenticationPart } from './authentication-part.ts'
import type { ContractOptions } from './contract-options.ts'
import { endpointsPart } from './endpoints-part.ts'
import { errorsPart } from './errors-part.ts'
import { eventsPart } from './events-part.ts'
import { limitsPart } from './limits-part.ts'
import { resourcesPart } from './resources-part.ts'
import { servicePart } from './service-part.ts'
import { statesPart } from './states-part.ts'
import { versioningPart } from './versioning-part.ts'

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
  const sections = parts.map(([title, text], index) => `## ${index + 1}. ${title}\n\n${text.trimEnd()}\n`)
  return `# ${model.service.name}\n\n${sections.join('\n')}`
}
