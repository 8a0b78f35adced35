/** The schema to compare with can't be read. The message is for the user. */
export class NotComparable extends Error {}
