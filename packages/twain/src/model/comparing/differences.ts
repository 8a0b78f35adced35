// The list of what changed between two contracts.

export interface Difference {
  kind: 'additive' | 'breaking'
  /** `Post`, `Post.title`, `Status.DRAFT`. */
  path: string
  message: string
  /** What would be right instead; empty where nothing is wrong. */
  cure: string
}

export class Differences {
  readonly all: Difference[] = []

  additive(path: string, message: string): void {
    this.all.push({ kind: 'additive', path, message, cure: '' })
  }

  breaking(path: string, message: string, cure = 'Put it back.'): void {
    this.all.push({ kind: 'breaking', path, message, cure })
  }
}
