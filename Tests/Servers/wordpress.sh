#!/usr/bin/env bash
# WordPress in Apache, with a MariaDB of its own on a socket:  wordpress.sh start DIR [--max-size BYTES] | stop DIR
# alice with secret is its administrator; she and bob, who may only read, have each an application password. Over http,
# which it calls a local environment. What is uploaded lies in DIR/wordpress/wp-content/uploads. It fetches nothing from
# elsewhere and sends no mail. Every request has its line in DIR/access.log.
# The first start takes some seconds; a later one on the same DIR has the same content and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/access-log.sh
source "$here/access-log.sh"
# shellcheck source=Tests/Servers/apache.sh
source "$here/apache.sh"

user=alice password=secret

wordpress_conf() {
    local php
    for php in "$apache_modules"/libphp*.so; do :; done
    [[ -e $php ]] || die "Apache's PHP is missing; run scripts/install-packages.sh servers"
    apache_conf mpm_prefork rewrite
    cat <<CONF
LoadModule php_module $php
StartServers 2
MinSpareServers 1
MaxSpareServers 8
# An idle connection keeps its process.
ServerLimit 64
MaxRequestWorkers 64
KeepAliveTimeout 5
Listen 127.0.0.1:${ports[0]}
<VirtualHost 127.0.0.1:${ports[0]}>
    DocumentRoot $dir/wordpress
    DirectoryIndex index.php
    <Directory $dir/wordpress>
        Require all granted
        FallbackResource /index.php
        <FilesMatch "\\.php\$">
            SetHandler application/x-httpd-php
        </FilesMatch>
    </Directory>
    <Directory $dir/wordpress/wp-content/uploads>
        FallbackResource disabled
        SetHandler none
    </Directory>
</VirtualHost>
php_admin_value post_max_size $max_size
php_admin_value upload_max_filesize $max_size
php_admin_value memory_limit 256M
php_admin_value max_execution_time 120
php_admin_value upload_tmp_dir $dir/tmp
php_admin_value sys_temp_dir $dir/tmp
php_admin_value display_errors 0
php_admin_value log_errors 1
CONF
}

wp_config() {
    local name
    echo '<?php'
    for name in AUTH_KEY SECURE_AUTH_KEY LOGGED_IN_KEY NONCE_KEY AUTH_SALT SECURE_AUTH_SALT LOGGED_IN_SALT NONCE_SALT; do
        echo "define('$name', '$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')');"
    done
    cat <<CONF
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:$dir/mysql.sock');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HOME', '$url');
define('WP_SITEURL', '$url');
define('WP_CONTENT_DIR', '$dir/wordpress/wp-content');
// With which application passwords may go over http.
define('WP_ENVIRONMENT_TYPE', 'local');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('DISABLE_WP_CRON', true);
define('WP_DEBUG', false);
\$table_prefix = 'wp_';
if (!defined('ABSPATH')) {
    define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
CONF
}

# Options of the server and of what makes its files.
database_options() {
    echo "--no-defaults"
    echo "--datadir=$dir/mysql"
    ((EUID)) || echo "--user=root"
}

spawn_database() {
    local options
    mapfile -t options < <(database_options)
    if [[ ! -e $dir/mysql/complete ]]; then
        rm -rf "$dir/mysql"
        mariadb-install-db "${options[@]}" --auth-root-authentication-method=normal --skip-test-db \
            >"$dir/log/mariadb-install-db" 2>&1 || die "cannot make the database; see $dir/log/mariadb-install-db"
        touch "$dir/mysql/complete"
    fi
    spawn mariadb mariadbd "${options[@]}" --socket="$dir/mysql.sock" --pid-file="$dir/mysql.pid" --skip-networking \
        --skip-log-bin --performance-schema=OFF --innodb-buffer-pool-size=32M --innodb-log-file-size=8M \
        --innodb-flush-log-at-trx-commit=2 --tmpdir="$dir/tmp"
    wait_ready sql 'SELECT 1'
}

sql() { mariadb --no-defaults --socket="$dir/mysql.sock" --user=root -e "$1"; }

start() {
    need apache2 curl mariadbd mariadb php
    max_size=104857600
    while (($#)); do
        case $1 in
        --max-size)
            max_size=${2:?bytes}
            shift
            ;;
        *) die "unknown option $1; there is --max-size BYTES" ;;
        esac
        shift
    done
    [[ -d /usr/share/wordpress ]] || die "WordPress is missing; run scripts/install-packages.sh servers"
    load_ports 1
    url=http://127.0.0.1:${ports[0]}
    children_own "$dir/tmp"
    chmod 1777 "$dir/tmp"
    if [[ ! -e $dir/wordpress/seed ]]; then
        rm -rf "$dir/wordpress"
        cp -rL /usr/share/wordpress "$dir/wordpress"
        rm -f "$dir/wordpress/.htaccess"
        wp_config >"$dir/wordpress/wp-config.php"
        children_own "$dir/wordpress/wp-content/uploads"
    fi
    spawn_database
    if [[ ! -e $dir/wordpress/seed ]]; then
        sql 'DROP DATABASE IF EXISTS wordpress; CREATE DATABASE wordpress CHARACTER SET utf8mb4'
        php "$here/wordpress-seed.php" "$dir/wordpress" "$user" "$password" >"$dir/seed.new" 2>"$dir/log/seed" ||
            die "cannot fill WordPress; see $dir/log/seed"
        mv "$dir/seed.new" "$dir/seed"
        touch "$dir/wordpress/seed"
    fi
    spawn_apache "$(wordpress_conf)" "${ports[0]}"

    local lines
    mapfile -t lines <"$dir/seed"
    publish "ENDPOINT=$url" "USERNAME=$user" "PASSWORD=$password" "${lines[@]}" \
        "DATA=$dir/wordpress/wp-content/uploads" "ACCESS_LOG=$dir/access.log"
}

run "$@"
