import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'

/**
 * Whether a process may create a mount namespace. That requires no other right and does not change the machine.
 * @see unshare(1), tmpfs(5)
 */
export function canMount(): boolean {
  if (process.platform !== 'linux') return false
  const { status } = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt'])
  return status === 0
}

/** Fills the disk with a file. */
export function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (let piece = Buffer.alloc(64 * 1024); ; ) {
      try {
        if (writeSync(file, piece) < piece.length) piece = piece.subarray(0, piece.length >> 1)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        if (piece.length <= 1) return
        piece = piece.subarray(0, piece.length >> 1)
      }
      if (piece.length === 0) return
    }
  } finally {
    closeSync(file)
  }
}
