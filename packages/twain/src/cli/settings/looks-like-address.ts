// Detects a database address where a folder is expected. Otherwise Twain would create a folder whose name shows the password.

/** `postgres://…`, also with a slash missing, and any other URL. A drive (`C:/data`) is not an address. */
export function looksLikeAddress(text: string): boolean {
  return /^(?:[a-z][a-z\d+.-]+:\/\/|postgres(?:ql)?[:/]+\S+@)/i.test(text)
}
