// A button beside a new row that the rules refuse: it shows the rules about creating such rows, with their lines of the schema file.

import { client } from '../api/client.ts'
import { model, type TypeModel } from '../api/model.ts'
import { texts } from '../texts.ts'
import { mayExplain } from './access.ts'
import { AskButton } from './why-button.tsx'

interface CreateEntry {
  field: string | null
  viewer: string
  when: string
  rules: readonly { rule: string; place: string }[]
}

interface WhyCreateProps {
  type: TypeModel
  /** Null: the whole row. */
  field: string | null
  subject: string
}

export function WhyCreateButton({ type, field, subject }: WhyCreateProps) {
  const ask = async () => {
    const { data } = await client.rest.get<{ entries: CreateEntry[] }>(`/docs/access?type=${type.name}&action=CREATE`)
    const own = data!.entries.filter((entry) => entry.field === field && isOfUser(entry))
    const lines = own.flatMap(({ when, rules }) => [when, ...rules.map(({ rule, place }) => `${place} ${rule}`)])
    return lines.length === 0 ? texts.noRule : [...new Set(lines)].join(' · ')
  }
  return mayExplain(type) ? <AskButton subject={subject} ask={ask} /> : null
}

/** The kinds of viewers that the user is: by the roles, which include admin. */
function isOfUser({ viewer }: CreateEntry): boolean {
  const { account, roles } = model.value!.viewer
  return account === null ? viewer === 'operator' : roles.some((role) => viewer === `role:${role}`)
}
