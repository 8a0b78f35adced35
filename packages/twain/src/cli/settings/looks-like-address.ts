// An address in the place of a folder: a slip that would make a folder of it, and tell the password that is its name.

/** `postgres://…`, also with a letter of it missing, and addresses of anything else. A drive (`C:/data`) is none. */
export function looksLikeAddress(text: string): boolean {
  return /^(?:[a-z][a-z\d+.-]+:\/\/|postgres(?:ql)?[:/]+\S+@)/i.test(text)
}
