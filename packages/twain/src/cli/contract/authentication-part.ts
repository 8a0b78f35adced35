// The part `Authentication` of the API contract: schemes, tokens, roles, and who may do what.

import { type AuthSettings, idleMs } from '#auth'
import type { Model } from '#model'
import { type AccessRow, accessMatrix, callMatrix, describeGrant, viewerKinds } from '#plan/explain'
import { code, numbered, printDuration, table } from './markdown.ts'

export function authenticationPart(model: Model, settings: AuthSettings): string {
  const { account } = model
  const scheme =
    "Scheme: `authorization: Bearer <token>`; an API key of a machine (`twain key`) and an operator's token (`twain token`) are sent the same way."
  const status =
    '401 (`UNAUTHENTICATED`): the token is missing or not valid. 403 (`FORBIDDEN`): access is denied. A row that the viewer may not read is a 404.'
  const sentences =
    account === null
      ? [scheme, 'This service has no account type: there are no accounts and no `/tokens`.', status]
      : [
          scheme,
          `Tokens are JWTs. \`POST /tokens\` (\`createToken\`) with \`{"${account.login.name}": …, "password": …}\` of a ${account.resource.name} answers 201 \`{id, token, refreshToken, expiresAt}\`; the token is valid for ${printDuration(settings.accessTokenSeconds)}, and \`{"refreshToken": …}\` renews it for ${printDuration(idleMs(settings) / 1000)}. \`DELETE /tokens/{id}\` (\`deleteToken\`) revokes one, on all nodes within a second.`,
          ...(account.resource.actRules.length === 0
            ? []
            : [
                'Whom a rule allows `ACT_AS` acts as an account or a role: `POST /tokens` with `{"as": …}`, for 15 minutes, to read; with a `reason`, to write.',
              ]),
          `Accounts are rows of ${account.resource.name}: a create requires a \`password\` (8 to 256 characters, none of the 100,000 most common ones, stored as an argon2id hash, never readable); a \`PATCH\` with \`password\` changes it and revokes all other tokens. To change the password or login of their own account, a viewer also sends \`currentPassword\`, unless they signed in within the last five minutes.`,
          `Roles: ${account.roles === null ? 'accounts have none; operator tokens and API keys may have some' : `the field \`${account.roles.name}\` of the account, which only the role \`admin\` may set unless a rule allows others`}.`,
          status,
          'Authorization is enforced for each row and each field, in every kind of request (REST, GraphQL, nested selections, filters, sorting, counts, search, events, files): a field that the viewer may not read is `null` with a `FORBIDDEN` error at its path in GraphQL, and absent in REST.',
        ]
  return `${numbered(sentences)}\nWho may do what; everything else is denied:\n\n${accessTable(model)}`
}

function accessTable(model: Model): string {
  const kinds = viewerKinds(model)
  const cells = [
    ...accessMatrix(model, kinds).flatMap((row) => grantsOf(row).map((grant) => [nameOf(row), row.action, ...grant])),
    ...callMatrix(model, kinds).flatMap((row) =>
      grantsOf(row).map((grant) => [`${row.operation.root}.${row.operation.name}`, 'CALL', ...grant]),
    ),
  ]
  // Actions on one subject that are granted alike share a row of the table.
  const merged = new Map<string, string[]>()
  for (const [subject = '', action = '', who = '', when = ''] of cells) {
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

function grantsOf({ cells }: Pick<AccessRow, 'cells'>): [who: string, when: string][] {
  const allowed = cells.filter(({ verdict }) => verdict.is !== 'never')
  if (allowed.length === 0) return [['no one', 'never']]
  const groups = Map.groupBy(allowed, ({ verdict }) => whenOf(verdict))
  return [...groups].map(([when, group]) => {
    const who =
      group.length === cells.length
        ? 'everyone'
        : group.map(({ kind }) => (kind.name === 'nobody' ? 'anonymous viewers' : kind.name)).join(', ')
    return [who, when]
  })
}

function whenOf(verdict: AccessRow['cells'][number]['verdict']): string {
  if (verdict.is === 'always') return 'always'
  if (verdict.reason !== 'rules') return 'always'
  return [...new Set(verdict.rules.map(describeGrant))].join('; or ')
}
