import { packBytes } from '../support/repository/handmade-packs.js'

/* What git clients say, as far as it needs no objects. @see gitprotocol-pack(5) */

function line(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`
}

/** Pushes a new branch at a commit that is there. */
export function branchPush(commit: string, ref: string): Buffer {
  const lines = `${line(`${'0'.repeat(40)} ${commit} ${ref}\0 report-status`)}0000`
  return Buffer.concat([Buffer.from(lines), packBytes([])])
}

/** Asks for a commit without what came before it. */
export function fetchLines(commit: string): string {
  return `${line('command=fetch')}0001${line('deepen 1')}${line(`want ${commit}`)}${line('done')}0000`
}

/** Asks for all names. */
export const namesLines = `${line('command=ls-refs')}0001${line('peel')}0000`
