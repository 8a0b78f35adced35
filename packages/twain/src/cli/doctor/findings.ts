// The result of a check of `twain doctor`.

export interface Finding {
  kind: 'fine' | 'warning' | 'problem'
  /** What was found, in one sentence. */
  text: string
  /** What to do about it. */
  advice?: string
}

export const fine = (text: string): Finding => ({ kind: 'fine', text })

export const warning = (text: string, advice: string): Finding => ({ kind: 'warning', text, advice })

export const problem = (text: string, advice: string): Finding => ({ kind: 'problem', text, advice })
