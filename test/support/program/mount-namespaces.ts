import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'

/**
 * Whether a process may have mounts of its own: nothing of the machine is touched, and no rights are needed but that of making a
 * name space. @see unshare(1), tmpfs(5)
 */
export function canMount(): boolean {
  if (process.platform !== 'linux') return false
  const { status } = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt'])
  return status === 0
}

/** Writes until nothing more fits. */
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
