//! Errands: what an adapter does beside the turns, several at a time.

use super::session::Session;
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use tokio::sync::Notify;

/// An errand at work.
pub(super) type ErrandFuture<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// An errand that has not begun.
pub(super) type Errand = Box<dyn for<'a> FnOnce(&'a Session) -> ErrandFuture<'a>>;

/// The errands that have not begun.
#[derive(Default)]
pub(super) struct Errands {
    waiting: RefCell<Vec<Errand>>,
    changed: Notify,
}

impl Errands {
    /// Has an errand done, soon.
    pub(super) fn add(&self, errand: Errand) {
        self.waiting.borrow_mut().push(errand);
        self.changed.notify_one();
    }

    /// There may be no more commands.
    pub(super) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Does errands until the session is closed; what is at work then is dropped.
    pub(super) async fn work(&self, session: &Session) {
        let mut running: Vec<ErrandFuture<'_>> = Vec::new();
        while !session.is_closing() {
            let new = self.waiting.take().into_iter();
            running.extend(new.map(|errand| errand(session)));
            tokio::select! {
                biased;
                () = one_is_done(&mut running) => {}
                () = self.changed.notified() => {}
            }
        }
    }
}

/// Waits until one of them is done, and takes it out.
async fn one_is_done(running: &mut Vec<ErrandFuture<'_>>) {
    poll_fn(|cx| {
        let done = running
            .iter_mut()
            .position(|errand| errand.as_mut().poll(cx).is_ready());
        match done {
            Some(place) => {
                drop(running.swap_remove(place));
                Poll::Ready(())
            }
            None => Poll::Pending,
        }
    })
    .await;
}
