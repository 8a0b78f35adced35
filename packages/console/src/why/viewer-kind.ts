// Which kinds of viewers of the access matrix the user is.

interface User {
  account: string | null
  roles: readonly string[]
}

/** `kinds` are all that the matrix has. The user has the role admin; a schema file whose rules do not name that role has no kind for it,
 *  and the operator, who has it too, stands for it. */
export function isOfKind({ account, roles }: User, kind: string, kinds: readonly string[]): boolean {
  if (kind === 'operator') return account === null || !kinds.includes('role:admin')
  return account !== null && roles.some((role) => kind === `role:${role}`)
}
