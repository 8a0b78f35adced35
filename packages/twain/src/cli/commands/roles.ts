// The roles of `--role`: one, or several with commas.

export function rolesIn(options: ReadonlyMap<string, string>): string[] {
  const roles = (options.get('role') ?? '').split(',').map((role) => role.trim())
  return [...new Set(roles)].filter((role) => role !== '')
}
