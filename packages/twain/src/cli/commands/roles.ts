// Parses `--role`: one role, or several separated by commas.

export function rolesIn(options: ReadonlyMap<string, string>): string[] {
  const roles = (options.get('role') ?? '').split(',').map((role) => role.trim())
  return [...new Set(roles)].filter((role) => role !== '')
}
