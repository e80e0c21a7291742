import { packBytes } from '../support/repository/handmade-packs.js'

/* Messages of git clients that need no objects. @see gitprotocol-pack(5) */

function line(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`
}

/** Pushes a new branch at an existing commit. */
export function branchPush(commit: string, ref: string): Buffer {
  const lines = `${line(`${'0'.repeat(40)} ${commit} ${ref}\0 report-status`)}0000`
  return Buffer.concat([Buffer.from(lines), packBytes([])])
}

/** Fetches a commit without its history. */
export function fetchLines(commit: string): string {
  return `${line('command=fetch')}0001${line('deepen 1')}${line(`want ${commit}`)}${line('done')}0000`
}

/** Lists all refs. */
export const namesLines = `${line('command=ls-refs')}0001${line('peel')}0000`
