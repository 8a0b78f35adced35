// Where a room tells the operator something. The command decides how it looks: JSON lines, or short lines for people.

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
