// The demo's own receipts: what it sent, what came back, written down apart from what the server says of itself.

export interface Receipt {
  readonly id: string;
  readonly queue: string;
  /** Its status when the demo looked last, at the end a final one. */
  status: string;
}

export interface RefusalNote {
  readonly queue: string;
  readonly code: string;
  /** null: the refusal told no time to come back, which it must. */
  readonly retryAfterS: number | null;
}

export class Ledger {
  readonly receipts: Receipt[] = [];
  readonly refusals: RefusalNote[] = [];
  /** Ids redriven, once per redrive. */
  readonly redrives: Receipt[] = [];
  /** Submissions sent, refused ones included. */
  sent = 0;

  accepted(id: string, queue: string): Receipt {
    const receipt = { id, queue, status: 'accepted' };
    this.receipts.push(receipt);
    return receipt;
  }

  countOf(queue: string, status: string): number {
    return this.receipts.filter((receipt) => receipt.queue === queue && receipt.status === status).length;
  }
}
