//! BackgroundTasks: what an adapter does beside the turns, several at a time.

use super::session::Session;
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use tokio::sync::Notify;

/// An task at work.
pub(crate) type TaskFuture<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// An task that has not begun.
pub(crate) type BackgroundTask = Box<dyn for<'a> FnOnce(&'a Session) -> TaskFuture<'a>>;

/// The background_tasks that have not begun.
#[derive(Default)]
pub(crate) struct BackgroundTasks {
    waiting: RefCell<Vec<BackgroundTask>>,
    changed: Notify,
}

impl BackgroundTasks {
    /// Has an task done, soon.
    pub(crate) fn add(&self, task: BackgroundTask) {
        self.waiting.borrow_mut().push(task);
        self.changed.notify_one();
    }

    /// There may be no more commands.
    pub(crate) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Does background_tasks until the session is closed; what is at work then is dropped.
    pub(crate) async fn work(&self, session: &Session) {
        let mut running: Vec<TaskFuture<'_>> = Vec::new();
        while !session.is_closing() {
            let new = self.waiting.take().into_iter();
            running.extend(new.map(|task| task(session)));
            tokio::select! {
                biased;
                () = one_is_done(&mut running) => {}
                () = self.changed.notified() => {}
            }
        }
    }
}

/// Waits until one of them is done, and takes it out.
async fn one_is_done(running: &mut Vec<TaskFuture<'_>>) {
    poll_fn(|cx| {
        let done = running
            .iter_mut()
            .position(|task| task.as_mut().poll(cx).is_ready());
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
