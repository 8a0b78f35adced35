import type { AuthSettings } from '#auth'
import type { Model } from '#model'
import { type AccessRow, accessMatrix, describeCondition, viewerKinds } from '#plan/explain'
import { code, numbered, printDuration, table } from './markdown.ts'

export function authenticationPart(model: Model, settings: AuthSettings): string {
  const { account } = model
  const scheme =
    "Scheme: `authorization: Bearer <token>`; an API key of a machine (`twain key`) and an operator's token (`twain token`) are sent the same way."
  const status =
    '401 (`UNAUTHENTICATED`): a token is needed, or the one that came is not good. 403 (`FORBIDDEN`): access is denied. A row that the viewer may not read is a 404.'
  const sentences =
    account === null
      ? [scheme, 'No type of this service signs in: there are no accounts, and `/tokens` is not there.', status]
      : [
          scheme,
          `Tokens are JWTs. \`POST /tokens\` (\`createToken\`) with \`{"${account.login.name}": …, "password": …}\` of a ${account.resource.name} gives 201 \`{id, token, refreshToken, expiresAt}\`; the token counts for ${printDuration(settings.accessTokenSeconds)}, and \`{"refreshToken": …}\` renews it for ${printDuration(settings.refreshTokenSeconds)}. \`DELETE /tokens/{id}\` (\`deleteToken\`) ends one, everywhere within a second.`,
          `Accounts are rows of ${account.resource.name}: creating one takes a \`password\` (8 to 256 characters, kept as argon2id, never readable); a \`PATCH\` with \`password\` changes it and ends all other tokens.`,
          `Roles: ${account.roles === null ? 'accounts have none; tokens of operators and keys may have some' : `the field \`${account.roles.name}\` of the account, which only the role \`admin\` sets unless a rule allows others`}.`,
          status,
          'Authorization is enforced for each row and each field, on every way in (REST, GraphQL, nested, filter, sort, count, search, events, files): a field that may not be read is `null` with a `FORBIDDEN` error at its path in GraphQL, and absent in REST.',
        ]
  return `${numbered(sentences)}\nWho may do what; everything else is refused:\n\n${accessTable(model)}`
}

function accessTable(model: Model): string {
  const rows = accessMatrix(model, viewerKinds(model))
  const told = rows.flatMap((row) => answersOf(row).map((cells) => [nameOf(row), row.action, ...cells]))
  // Actions of one subject with the same answer share a line.
  const merged = new Map<string, string[]>()
  for (const [subject = '', action = '', who = '', when = ''] of told) {
    const key = `${subject}\n${who}\n${when}`
    merged.set(key, [...(merged.get(key) ?? []), action])
  }
  return table(
    ['On', 'Action', 'Who', 'When'],
    [...merged].map(([key, actions]) => {
      const [subject = '', who = '', when = ''] = key.split('\n')
      return [code(subject), actions.join(', '), who, when]
    }),
  )
}

function nameOf({ of, field }: AccessRow): string {
  return field === null ? of.name : `${of.name}.${field.name}`
}

function answersOf({ cells }: AccessRow): [who: string, when: string][] {
  const allowed = cells.filter(({ verdict }) => verdict.is !== 'never')
  if (allowed.length === 0) return [['no one', 'never']]
  const groups = Map.groupBy(allowed, ({ verdict }) => whenOf(verdict))
  return [...groups].map(([when, group]) => {
    const who =
      group.length === cells.length
        ? 'everyone'
        : group.map(({ kind }) => (kind.name === 'nobody' ? 'someone unknown' : kind.name)).join(', ')
    return [who, when]
  })
}

function whenOf(verdict: AccessRow['cells'][number]['verdict']): string {
  if (verdict.is === 'always') return 'always'
  if (verdict.reason !== 'rules') return 'always'
  return [...new Set(verdict.rules.map((line) => `where ${describeCondition(line)}`))].join('; or ')
}
