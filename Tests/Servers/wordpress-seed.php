<?php
// Fills an empty WordPress and prints what a client needs to know, as KEY=value lines:
// php wordpress-seed.php FOLDER USER PASSWORD
[, $folder, $user, $password] = $argv;
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = 'localhost';
$_SERVER['REQUEST_METHOD'] = 'GET';

// It would send mail to the new administrator.
function wp_new_blog_notification() {}

require "$folder/wp-load.php";
require "$folder/wp-admin/includes/upgrade.php";
wp_install('submit', $user, "$user@example.org", false, '', $password);
update_option('permalink_structure', '/%postname%/');
// Who may add media, and who may only read.
wp_insert_user(['user_login' => 'bob', 'user_pass' => $password, 'user_email' => 'bob@example.org', 'role' => 'subscriber']);
foreach (['APP_PASSWORD' => $user, 'READER_APP_PASSWORD' => 'bob'] as $name => $login) {
    $id = get_user_by('login', $login)->ID;
    [$secret] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'submit']);
    echo "$name=", WP_Application_Passwords::chunk_password($secret), "\n";
}
